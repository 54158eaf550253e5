/** The default prefix of a provider's variables: `AUTH_GOOGLE`, `AUTH_MICROSOFT_ENTRA_ID`. */
export function variablePrefix(id: string): string {
  return `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
}
