/**
 * The module of `@phi-ag/argon2`, which wrangler compiles when a Worker is deployed: workerd compiles none itself.
 *
 * @throws {Error} it is not installed
 */
export async function argon2Module(): Promise<WebAssembly.Module> {
  // The catch lets a Worker be bundled if it is not installed.
  const { default: compiled } = await import('@phi-ag/argon2/argon2.wasm').catch((error) => {
    throw error
  })
  return compiled
}
