/** A heading's anchor, as GitHub makes it, and as our site does. */
export function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '')
  return kept.replaceAll(' ', '-')
}
