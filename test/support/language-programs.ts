import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDir, debianFolder, lastLine, unpackDebian } from './database-programs.ts'

const run = promisify(execFile)

/** A program of another language, for tests alone. */
export interface LanguageProgram {
  readonly path: string
  /** The variables that it needs. */
  readonly env: NodeJS.ProcessEnv
}

type Found = LanguageProgram | { readonly why: string }

/** Debian's Go is half a gigabyte: only the run by night, and files that are run by hand, unpack it. */
const mayUnpackGo = !['test', 'test:all'].includes(process.env.TEST_SPEED ?? '')

const GO = ['golang-go']

/**
 * Finds Go: that of the system, or else Debian's, which is unpacked as the programs of databases are.
 *
 * @returns the program, or why it is not to be had
 */
export async function findGo(): Promise<Found> {
  const own = {
    GOCACHE: join(cacheDir, 'go-build'),
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    CGO_ENABLED: '0',
  }
  const env = { ...process.env, ...own }
  const isSystems = await run('go', ['version'], { env }).then(
    () => true,
    () => false,
  )
  if (isSystems) return { path: 'go', env }
  if (!mayUnpackGo && !existsSync(debianFolder(GO))) {
    return { why: 'go is not there, and only npm run test:night unpacks it' }
  }
  try {
    const root = await unpackDebian(GO)
    const { stdout } = await run('readlink', ['-f', join(root, 'usr/bin/go')])
    const path = stdout.trim()
    const found = { path, env: { ...env, GOROOT: join(path, '../..') } }
    await run(path, ['version'], found)
    return found
  } catch (error) {
    return { why: `go cannot be had. ${lastLine(error)}` }
  }
}

/**
 * Finds a Python that has these modules, or unpacks Debian's packages with them for the Python of the system.
 *
 * @param packages of Debian
 * @example await findPython(['jwt', 'cryptography'], ['python3-jwt', 'python3-cryptography'])
 */
async function findPython(modules: readonly string[], packages: readonly string[]): Promise<Found> {
  const args = ['-c', `import ${modules.join(', ')}`]
  for (const path of ['python3', '/usr/bin/python3']) {
    if (await run(path, args).catch(() => undefined)) return { path, env: process.env }
  }
  try {
    const PYTHONPATH = join(await unpackDebian(packages), 'usr/lib/python3/dist-packages')
    const found = { path: '/usr/bin/python3', env: { ...process.env, PYTHONPATH } }
    await run(found.path, args, found)
    return found
  } catch (error) {
    return { why: `python3 with ${modules.join(' and ')} cannot be had. ${lastLine(error)}` }
  }
}

/** The Python of the verifier: PyJWT is all that it needs. */
export const findVerifierPython = (): Promise<Found> =>
  findPython(['jwt', 'cryptography'], ['python3-jwt', 'python3-cryptography'])

/** The Python of the example in FastAPI. */
export const findFastapi = (): Promise<Found> =>
  findPython(
    ['jwt', 'cryptography', 'fastapi', 'uvicorn'],
    ['python3-jwt', 'python3-cryptography', 'python3-fastapi', 'python3-uvicorn'],
  )
