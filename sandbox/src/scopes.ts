/** The fields of a person that each scope opens. There is no scope for an email address: it is never delivered. */
const scopeFields = {
  'user.info.basic': [
    'open_id',
    'union_id',
    'avatar_url',
    'avatar_url_100',
    'avatar_large_url',
    'display_name',
  ],
  'user.info.profile': ['username', 'bio_description', 'profile_deep_link', 'is_verified'],
  'user.info.stats': ['follower_count', 'following_count', 'likes_count', 'video_count'],
  'video.list': [],
  'video.publish': [],
} as const satisfies Record<string, readonly string[]>

/** A permission that an app can ask for. */
export type Scope = keyof typeof scopeFields

/** A field of `data.user`. */
export type UserField = (typeof scopeFields)[Scope][number]

/** Always granted, asked for or not; a person cannot take it away. */
export const basicScope: Scope = 'user.info.basic'

const allScopes = Object.keys(scopeFields) as Scope[]

export const isScope = (value: string): value is Scope => Object.hasOwn(scopeFields, value)

export const scopeOfField = (field: string): Scope | undefined =>
  allScopes.find((scope) => (scopeFields[scope] as readonly string[]).includes(field))

/** The given scopes plus the basic one, each once, in the table's order. */
export const withBasic = (scopes: Iterable<Scope>): Scope[] => {
  const wanted = new Set<Scope>([basicScope, ...scopes])
  return allScopes.filter((scope) => wanted.has(scope))
}

export type ParsedScopes =
  | { readonly ok: true; readonly scopes: readonly Scope[] }
  | { readonly ok: false; readonly reason: string }

/** Reads the `scope` parameter: names joined by commas, without spaces (unlike RFC 6749 §3.3). */
export const parseScopes = (value: string): ParsedScopes => {
  if (/\s/.test(value)) {
    return { ok: false, reason: 'scope is separated by commas, without spaces' }
  }
  const scopes: Scope[] = []
  for (const name of value.split(',')) {
    if (!isScope(name)) return { ok: false, reason: `unknown scope "${name}"` }
    scopes.push(name)
  }
  return { ok: true, scopes }
}
