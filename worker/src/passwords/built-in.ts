/** Modules of Node, as far as they are used. Workers have them by the flag `nodejs_compat`. */
interface BuiltIn {
  readonly 'node:crypto': {
    scrypt(
      password: Uint8Array,
      salt: Uint8Array,
      length: number,
      options: {
        readonly N: number
        readonly r: number
        readonly p: number
        readonly maxmem: number
      },
      done: (error: Error | null, derived: Uint8Array) => void,
    ): void
  }
  readonly 'node:fs/promises': { readFile(path: string): Promise<Uint8Array> }
  readonly 'node:module': { createRequire(url: string): { resolve(name: string): string } }
}

/** `undefined` if there is none. No import, since a bundler for Workers would refuse it. */
export function builtIn<Name extends keyof BuiltIn>(name: Name): BuiltIn[Name] | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): BuiltIn[Name] | undefined }
  }
  return process?.getBuiltinModule?.(name)
}
