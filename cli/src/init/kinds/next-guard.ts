import type { Planned } from '../planned.js'

/** The names of the file that Next runs before a request: that of version 16, and the earlier one. */
export const PROXY_NAMES = ['proxy', 'middleware'] as const

const MATCHER = "['/', '/((?!_next/static|_next/image|favicon.ico).*)']"

/** By the edge runtime, which is the default of a middleware, no store can be reached. */
const RUNTIME = `runtime: 'nodejs'`

/**
 * The file of the proxy, or the one that the app has. Next runs one of them, so a second one would take the app's own guard
 * out.
 *
 * @param own the path of the app's; empty: it has none
 */
export function guardFile(
  own: string,
  { below, ending, isOld }: { below: string; ending: string; isOld: boolean },
): Planned {
  const name = isOld || /(?:^|\/)middleware\./.test(own) ? 'middleware' : 'proxy'
  const from = own === '' ? './auth' : pathBetween(own.startsWith('src/') ? 'src/' : '', below)
  const config =
    name === 'proxy' ? `{ matcher: ${MATCHER} }` : `{\n  ${RUNTIME},\n  matcher: ${MATCHER},\n}`
  const text = `export { auth as ${name} } from '${from}'\n\nexport const config = ${config}\n`
  if (own === '') return { path: `${below}${name}.${ending}`, text }
  return {
    path: own,
    text,
    merged: (present) => {
      const wrapped = withAuth(present, name, from)
      return name === 'proxy' ? wrapped : withRuntime(wrapped)
    },
  }
}

/** The module of `NextAuth`, seen from a folder that may be another one. */
function pathBetween(from: '' | 'src/', below: string): string {
  if (from === below) return './auth'
  return from === '' ? './src/auth' : '../auth'
}

/** An import or a re-export of what `NextAuth` gave. */
const OURS =
  /\{[^}]*\b(?:auth|requireSession)\b[^}]*\}\s*from\s*['"](?:[@~]|\.{1,2})\/(?:[^'"]*\/)?auth(?:\.\w+)?['"]/

/** The app's own proxy runs behind `auth`, which renews the cookie, with the session in `request.auth`. */
function withAuth(text: string, name: string, from: string): string {
  if (OURS.test(text)) return text
  const own = `own${name[0]?.toUpperCase()}${name.slice(1)}`
  const renamed = text
    .replace(new RegExp(`^export (async )?function ${name}\\b`, 'm'), `$1function ${own}`)
    .replace(new RegExp(`^export const ${name}\\b`, 'm'), `const ${own}`)
    .replace(/^export default (async )?function\b[ \t]*\w*/m, `$1function ${own}`)
    .replace(/^export default /m, `const ${own} = `)
  const imported = `import { auth } from '${from}'\n`
  const end = renamed === '' || renamed.endsWith('\n') ? '' : '\n'
  if (renamed !== text) return `${imported}${renamed}${end}\nexport const ${name} = auth(${own})\n`
  return `${imported}// Export what this file has as \`auth(…)\`: its function gets the session in \`request.auth\`.\n${text}`
}

function withRuntime(text: string): string {
  if (/\bruntime\s*:\s*['"`]nodejs['"`]/.test(text)) return text
  const config = /^(export const config\b[^={]*=\s*\{)/m
  if (config.test(text)) return text.replace(config, `$1\n  ${RUNTIME},`)
  return `${text}\nexport const config = { ${RUNTIME} }\n`
}
