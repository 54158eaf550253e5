import { escapeToBuffer, type HtmlEscapedString, raw } from 'hono/utils/html'

/** HTML in which every text is escaped already. */
export type Markup = HtmlEscapedString

/** What a template may contain: text, which is escaped, and markup. `false` and nothing leave no trace. */
type Part = string | number | boolean | null | undefined | readonly Part[]

/**
 * Makes markup of a template and escapes what it is given. Inside a tag a value belongs in double
 * quotes, or in {@link attributes}.
 *
 * @example
 * html`<a href="${base}/signin">${text}</a>`
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  const written: [string] = ['']
  strings.forEach((text, index) => {
    written[0] += text
    write(parts[index], written)
  })
  return raw(written[0])
}

function write(part: Part, written: [string]): void {
  if (Array.isArray(part)) for (const one of part) write(one, written)
  else if (isMarkup(part)) written[0] += part
  else if (typeof part !== 'boolean') escapeToBuffer(String(part ?? ''), written)
}

/** An object of this class comes from no JSON, and from no text that was merely wrapped. */
function isMarkup(part: unknown): part is Markup {
  return part instanceof String && (part as Markup).isEscaped
}

/**
 * The attributes of a tag. `undefined` or `false` leaves one out, `true` needs no value. The names
 * must be our own.
 *
 * @example
 * html`<input${attributes({ name, value: field.value, required: true })}/>`
 */
export function attributes(values: Record<string, string | boolean | null | undefined>): Part {
  const present = Object.entries(values).filter(([, value]) => (value ?? false) !== false)
  return present.map(([name, value]) => html` ${name}="${value === true ? '' : value}"`)
}
