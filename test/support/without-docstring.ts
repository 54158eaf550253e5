import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import typescript from 'typescript'

const options: typescript.CompilerOptions = {
  module: typescript.ModuleKind.NodeNext,
  moduleResolution: typescript.ModuleResolutionKind.NodeNext,
  target: typescript.ScriptTarget.ES2023,
  skipLibCheck: true,
  types: [],
}

/** Every package reads the declarations of the language, and those of the packages that it needs: each is parsed once. */
const host = typescript.createCompilerHost(options)
const parsed = new Map<string, typescript.SourceFile | undefined>()
const { getSourceFile } = host
host.getSourceFile = (name, ...rest) => {
  if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest))
  return parsed.get(name)
}

/**
 * The exported names of a package for which an editor shows no text, by the declarations that are published.
 *
 * @param folder of the package, which must have been built
 * @returns each with its file
 */
export function withoutDocstring(folder: string): string[] {
  const entries = entriesOf(folder)
  const program = typescript.createProgram(entries, options, host)
  const checker = program.getTypeChecker()
  const found = entries.flatMap((entry) => {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    // An entry of an app's own code, such as a client, may export nothing.
    if (!module) return []
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const isAlias = exported.flags & typescript.SymbolFlags.Alias
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const from = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
      const text = typescript.displayPartsToString(symbol.getDocumentationComment(checker))
      // The docstring of a re-exported name is the other package's task.
      const isOwn = from.startsWith(join(folder, 'dist'))
      return isOwn && text.trim() === '' ? [`${relative(folder, from)}: ${exported.name}`] : []
    })
  })
  return [...new Set(found)]
}

/** The declarations that the exports of the package name, also by a star. */
function entriesOf(folder: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  const patterns = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.types],
  )
  return globSync(patterns, { cwd: folder }).map((path) => join(folder, path))
}
