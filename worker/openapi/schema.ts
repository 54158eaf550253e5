/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const number: Schema = { type: 'integer' }
export const url: Schema = { type: 'string', format: 'uri' }
/** ISO 8601. */
export const time: Schema = { type: 'string', format: 'date-time' }
export const nothing: Schema = { type: 'null' }

export function list(items: Schema): Schema {
  return { type: 'array', items }
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, nothing] }
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values }
}

/**
 * An object with these members. One that may be left out has `?` behind its name.
 *
 * @example object({ sub: text, 'except?': text })
 */
export function object(members: Readonly<Record<string, Schema>>, description?: string): Schema {
  const names = Object.keys(members)
  const required = names.filter((name) => !name.endsWith('?'))
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(
      Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema]),
    ),
    ...(required.length === 0 ? {} : { required }),
  }
}

/** The same, and a member of another name is an error. */
export function closed(members: Readonly<Record<string, Schema>>): Schema {
  return { ...object(members), additionalProperties: false }
}

/** A schema of `components`. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function described(schema: Schema, description: string): Schema {
  return { ...schema, description }
}
