/** Up to the next space or to what closes a quoted address. */
const address = /https?:\/\/[^\s<>"]+/gi

/** The first http(s) address of a text, without the punctuation of the sentence that it stands in. */
export const linkIn = (text: string): URL | undefined => {
  for (const [match] of text.matchAll(address)) {
    const url = parse(match.replace(/[.,;:!?'")\]]+$/, ''))
    if (url) return url
  }
  return undefined
}

/**
 * The first group of six digits that stands alone, also written `123 456` or `123-456`. Parts of
 * addresses, amounts and telephone numbers do not count.
 * @returns the six digits without the characters between them.
 */
export const codeIn = (text: string): string | undefined => {
  const group =
    /(?<![\p{L}\p{N}_.,/+-]|\p{N}[ \u00a0])(\d{3})[ \u00a0-]?(\d{3})(?![\p{L}\p{N}_]|[ \u00a0.,-]\d)/u
  const match = group.exec(text.replace(address, ' '))
  return match ? `${match[1]}${match[2]}` : undefined
}

const parse = (address: string): URL | undefined => {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}
