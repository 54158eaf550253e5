/**
 * Foreign text, made safe for a terminal: control characters and those that turn the direction of
 * writing could hide or change text. Line breaks and tabs stay; a carriage return stays only before
 * a line feed, since alone it hides the text before it.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /(?!\t|\r?\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    '\ufffd',
  )
}
