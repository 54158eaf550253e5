import { html as template } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** HTML in which every text is escaped already. */
export type Markup = HtmlEscapedString

/** What a template may contain: text, which is escaped, and markup. `false` and nothing leave no trace. */
type Part = string | number | boolean | null | undefined | readonly Part[]

/**
 * Makes markup of a template and escapes what it is given. Inside a tag a value belongs in double
 * quotes, or in {@link attributes}.
 *
 * Hono's takes promises too, and then returns one. This is the same function without them.
 *
 * @example
 * html`<a href="${base}/signin">${text}</a>`
 */
export const html = template as (strings: TemplateStringsArray, ...parts: Part[]) => Markup

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
