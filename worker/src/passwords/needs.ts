/** @throws {Error} naming the package to install */
export function needs(name: string, cause: unknown): never {
  throw new Error(`This password's hash needs the package ${name}: npm install ${name}`, { cause })
}
