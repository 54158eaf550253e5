import { builtIn } from './built-in.js'

/** The module of `@phi-ag/argon2`, from its file. @throws {Error} it is not installed */
export async function argon2Module(): Promise<WebAssembly.Module> {
  const files = builtIn('node:fs/promises')
  const modules = builtIn('node:module')
  if (!files || !modules) throw new Error('This runtime has no files.')
  const { url } = import.meta as ImportMeta & { readonly url: string }
  const path = modules.createRequire(url).resolve('@phi-ag/argon2/argon2.wasm')
  const { compile } = WebAssembly as unknown as {
    compile(bytes: Uint8Array): Promise<WebAssembly.Module>
  }
  return compile(await files.readFile(path))
}
