declare module '@micropython/micropython-webassembly-pyscript' {
  /** A Python in WebAssembly, with files of its own. */
  export function loadMicroPython(options: {
    /** Bytes. */
    readonly heapsize: number
    readonly stdout: (line: string) => void
  }): Promise<{
    readonly FS: { writeFile(path: string, text: string): void }
    runPython(program: string): void
  }>
}
