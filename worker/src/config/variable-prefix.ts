/** How the variables of a provider begin by default: `AUTH_GOOGLE`, `AUTH_MICROSOFT_ENTRA_ID`. */
export function variablePrefix(id: string): string {
  return `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
}
