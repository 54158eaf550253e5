interface NodeProcess {
  getBuiltinModule?(name: string): unknown
}

/**
 * A module of Node, without an import: the bundle of a Worker, which has none of them, could not be made.
 *
 * @returns `undefined` if this process has no such module
 */
export function builtIn<Module>(name: string): Module | undefined {
  const { process } = globalThis as { process?: NodeProcess }
  return process?.getBuiltinModule?.(`node:${name}`) as Module | undefined
}
