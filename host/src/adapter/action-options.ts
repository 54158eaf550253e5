import { Refusal } from './refusal.js'
import type { ActionForm } from './submit-form.js'

type FieldValue = string | number | boolean | null | undefined

/** The posted form, or the target afterwards (`redirectTo`) and the provider's own fields. */
export type ActionOptions =
  | FormData
  | { readonly redirectTo?: string | undefined; readonly [field: string]: FieldValue }

/**
 * The target and the fields that an app's server action was called with.
 *
 * @throws {Refusal} 400 for a form that no page of ours would send
 */
export function formOf(options: ActionOptions = {}): Pick<ActionForm, 'redirectTo' | 'fields'> {
  const fields = new URLSearchParams()
  for (const [name, value] of options instanceof FormData ? options : Object.entries(options)) {
    // React's own fields of a form with a server action.
    if (value === undefined || value === null || name.startsWith('$ACTION')) continue
    if (typeof value === 'object') throw new Refusal(400, 'A file was sent where text is expected.')
    if (fields.has(name)) throw new Refusal(400, 'A field was sent twice.')
    fields.set(name, String(value))
  }
  const redirectTo = fields.get('redirectTo') || undefined
  fields.delete('redirectTo')
  return { redirectTo, fields }
}
