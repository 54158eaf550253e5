import { type Capability, namesIn, variableNamesOf } from './read-capabilities.ts'
import type { Row } from './read-configuration.ts'

/** The rows of docs/configuration-variables.md, by the texts of the manifests. */
export function variablesOf(
  all: readonly Capability[],
  rowOf: (name: string, text: string) => Row,
): Row[] {
  return all.flatMap(({ variables = {}, forms = {} }) => [
    ...Object.entries(variables).map(([name, text]) => rowOf(name, text)),
    ...Object.entries(forms).flatMap(([start, ends]) =>
      Object.entries(ends).map(([end, text]) =>
        rowOf(
          namesIn(end)
            .map((one) => start + one)
            .join(', '),
          text,
        ),
      ),
    ),
  ])
}

/** The rows of docs/features.md. */
export function featureRows(all: readonly Capability[]): string[] {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``)
  const of = (what: string, names: readonly string[]) =>
    code(names).map((name) => what.replace('%', name))
  return all.map((one) => {
    const asked = [
      ...code(one.options ?? []),
      ...code(variableNamesOf(one)),
      ...code(Object.keys(one.forms ?? {}).map((start) => `${start}…`)),
      ...of('% of a provider', one.providerOptions ?? []),
      ...of('providers of type %', one.kinds ?? []),
      ...of('plain providers of type %', one.plainKinds ?? []),
      ...(one.askedBy === undefined ? [] : [one.askedBy]),
    ]
    return `| \`${one.name}\` | ${one.use} | ${asked.join(', ')} | ${code(one.needs).join(', ')} |`
  })
}
