import type { ChosenProvider } from './planned.js'

/** The lines that import the providers from a package. */
export function importsOf(from: string, providers: readonly ChosenProvider[]): string {
  return providers.map(({ id, name }) => `import ${name} from '${from}/providers/${id}'\n`).join('')
}

/** The providers as the configuration lists them. */
export function listOf(providers: readonly ChosenProvider[]): string {
  return `[${providers.map(({ name }) => `${name}()`).join(', ')}]`
}
