import { InvalidConfiguration } from '@latchkey/host'

/** By a name that no bundler follows: a bundle has no store that the app does not name. */
export const loadStore = (kind: string) =>
  import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ `@latchkey/worker/stores/${kind}`
  ).catch((error) => {
    throw explained(error, kind, process.env)
  })

const FOR_FILES =
  "`output: 'standalone'` has not copied the store that AUTH_STORE names. Add `outputFileTracingIncludes: { '/**': ['./node_modules/@latchkey/**', './node_modules/jose/**'] }` to next.config, and build again."

/** A build with `output: 'standalone'` copies what the bundler follows, and that is not the store: installing it again does not help. */
export function explained(error: unknown, kind: string, env: NodeJS.ProcessEnv): unknown {
  const { code } = Object(error) as { code?: unknown }
  if (code !== 'ERR_MODULE_NOT_FOUND' || !env.__NEXT_PRIVATE_STANDALONE_CONFIG) return error
  if (kind === 'sqlite') return new InvalidConfiguration(FOR_FILES)
  return new InvalidConfiguration(
    `\`output: 'standalone'\` has not copied the store that AUTH_STORE names. Write \`store: ${kind}Store(…)\` into the configuration, which the build follows, with the driver.`,
  )
}
