import { escapeToBuffer, type HtmlEscapedString, raw } from 'hono/utils/html'

/** HTML in which every text is already escaped. */
export type Markup = HtmlEscapedString

/**
 * The values that a template may contain: text, which is escaped, and markup. `false`, `null` and
 * `undefined` write nothing.
 */
type Part = string | number | boolean | null | undefined | readonly Part[]

/**
 * Makes markup of a template and escapes its values. Inside a tag a value belongs in double quotes,
 * or in {@link attributes}.
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

/** A class, since neither JSON nor a wrapped text can be an instance of it. */
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
