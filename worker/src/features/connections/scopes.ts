import type { TokenSource } from '../../http/kind.js'

/** The form of a scope (RFC 6749, section 3.3), less the comma, which parts them at some providers. */
const SCOPE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/

/** All that is asked for has to fit a cookie, and a URL. Characters. */
const MAX_LENGTH = 1_000

/** The scopes in a text, which providers part by spaces or commas. */
export function scopesIn(text: string | undefined): readonly string[] {
  return [...new Set((text ?? '').split(/[\s,]+/))].filter((scope) => SCOPE.test(scope))
}

/**
 * The scopes for an added way: the provider's own, the ones granted before, and from a stranger's
 * form only scopes that the provider lists.
 */
export function scopeToAsk(
  { scope, moreScopes, scopeSeparator }: TokenSource,
  granted: string | undefined,
  named: unknown,
): string | undefined {
  const listed = new Set(moreScopes)
  const wanted = scopesIn(typeof named === 'string' ? named : '').filter((one) => listed.has(one))
  const all = new Set([scope, wanted.join(' '), granted].flatMap(scopesIn))
  let asked = ''
  for (const one of all) {
    const longer = asked === '' ? one : asked + scopeSeparator + one
    if (longer.length <= MAX_LENGTH) asked = longer
  }
  return asked === '' ? undefined : asked
}
