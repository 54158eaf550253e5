/** The form of a scope (RFC 6749, section 3.3), less the comma, which parts them at some providers. */
const SCOPE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/

/** The scopes in a text, which providers part by spaces or commas. */
export function scopesIn(text: string | undefined): readonly string[] {
  return [...new Set((text ?? '').split(/[\s,]+/))].filter((scope) => SCOPE.test(scope))
}
