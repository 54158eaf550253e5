/** How many languages of one wish are looked at, and characters of it. */
const MAX_TAGS = 20
const MAX_LENGTH = 256
/** The longest tag. Characters. */
const MAX_TAG = 64

/** Scripts that are written from right to left (ISO 15924). */
const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg'])

/**
 * The first language of a wish that there is, by lookup (RFC 4647, 3.4): `de-AT` is `de`. Where only another form of
 * the language is there, it is that of the same script: `pt` is `pt-BR`, `zh-TW` is `zh-Hant`.
 *
 * @param wish tags by preference; an invalid one is passed over
 * @returns `undefined`: none of them
 */
export function findLanguage(
  wish: readonly string[],
  available: ReadonlySet<string>,
): string | undefined {
  for (const one of wish.slice(0, MAX_TAGS)) {
    const match = lookUp(one, available)
    if (match !== undefined) return match
  }
  return undefined
}

function lookUp(tag: string, available: ReadonlySet<string>): string | undefined {
  const canonical = canonicalTag(tag)
  if (canonical === undefined) return undefined
  let range = canonical
  while (range) {
    if (available.has(range)) return range
    // A single letter introduces what comes after it, and means nothing alone.
    range = range.slice(0, Math.max(0, range.lastIndexOf('-'))).replace(/-[a-z\d]$/i, '')
  }
  const language = primary(canonical)
  const akin = [...available].filter((one) => primary(one) === language)
  const script = scriptOf(canonical)
  return akin.find((one) => scriptOf(one) === script) ?? akin[0]
}

/** The tags of `ui_locales` (OpenID Connect Core, 3.1.2.1). */
export function tagsInOrder(text: string): readonly string[] {
  return beginning(text, ' ').split(' ').filter(Boolean)
}

/** The tags of `Accept-Language` by their quality (RFC 9110, 12.5.4). */
export function tagsByQuality(header: string): readonly string[] {
  const ranges = beginning(header, ',')
    .split(',')
    .slice(0, MAX_TAGS)
    .map((range) => {
      const [tag = '', parameter] = range.split(';')
      const quality =
        parameter === undefined ? 1 : Number(/^\s*q=([\d.]+)\s*$/i.exec(parameter)?.[1])
      return { tag: tag.trim(), quality }
    })
  return ranges
    .filter(({ quality }) => quality > 0 && quality <= 1)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}

/** As far as it is looked at, without a part that is cut off. */
function beginning(text: string, separator: string): string {
  if (text.length <= MAX_LENGTH) return text
  const cut = text.slice(0, MAX_LENGTH)
  return cut.slice(0, Math.max(0, cut.lastIndexOf(separator)))
}

/** A tag as BCP 47 writes it: `iw` is `he`, `PT-br` is `pt-BR`. `undefined`: it is none. */
export function canonicalTag(tag: string): string | undefined {
  if (tag.length > MAX_TAG) return undefined
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** @param language a tag as {@link canonicalTag} writes it */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(scriptOf(language) ?? '') ? 'rtl' : 'ltr'
}

function scriptOf(tag: string): string | undefined {
  return new Intl.Locale(tag).maximize().script
}

function primary(tag: string): string {
  return tag.split('-', 1)[0] ?? ''
}
