/** What providers of Auth.js and better-auth are called here, if that differs. */
const IDS_HERE: Readonly<Record<string, string>> = {
  'azure-ad': 'microsoft-entra-id',
  microsoft: 'microsoft-entra-id',
  twitter: 'x',
  tiktok: 'videoapp',
  huggingface: 'hugging-face',
}

/**
 * The id that a provider has here: the one that the operator names; or the same id if the service
 * has it; or the known counterpart.
 *
 * @param said by the operator
 * @param there the providers of the service; `undefined`: they cannot be known
 */
export function providerHere(
  id: string,
  said: ReadonlyMap<string, string>,
  there: ReadonlySet<string> | undefined,
): string {
  const asSaid = said.get(id)
  if (asSaid !== undefined) return asSaid
  if (there?.has(id)) return id
  return Object.hasOwn(IDS_HERE, id) ? (IDS_HERE[id] ?? id) : id
}
