import { builtIn } from './built-in.js'

/** Kept for good: a module that is compiled anew for each hash takes as much time as the hash. */
let compiled: WebAssembly.Module | undefined

/** The module of `@phi-ag/argon2`, from its file. @throws {Error} it is not installed */
export async function argon2Module(): Promise<WebAssembly.Module> {
  if (compiled) return compiled
  const files = builtIn('node:fs/promises')
  const modules = builtIn('node:module')
  if (!files || !modules) throw new Error('This runtime has no files.')
  const { url } = import.meta as ImportMeta & { readonly url: string }
  const path = modules.createRequire(url).resolve('@phi-ag/argon2/argon2.wasm')
  const { compile } = WebAssembly as unknown as {
    compile(bytes: Uint8Array): Promise<WebAssembly.Module>
  }
  compiled = await compile(await files.readFile(path))
  return compiled
}
