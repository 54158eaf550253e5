import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core'

/** The longest wait for a click, a page or a text; a wait ends as soon as it can. Milliseconds. */
const patience = 120_000
const cacheDir = join(import.meta.dirname, '../../node_modules/.cache')

/** What `launchBrowser` has opened in this process and nobody has closed. */
export const openContexts = new Set<BrowserContext>()

/**
 * A Chromium without a window, for the browser tests.
 *
 * `CHROMIUM_PATH` names one to use. Without it, Linux on x64 takes the Chromium that `npm install`
 * brought along, with the libraries and fonts it needs; other systems take the installed Chrome.
 *
 * @param more further switches of the command line
 * @param found another browser than this one
 */
export async function launchBrowser(
  more: readonly string[] = [],
  found?: LaunchOptions,
): Promise<Browser> {
  const browser = await chromium.launch({
    ...(found ?? (await findBrowser())),
    // Passes --headless and, since the tests open their own pages only, --no-sandbox: the sandbox
    // needs rights that containers and root do not have.
    headless: true,
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
  browser.on('context', (context) => {
    context.setDefaultTimeout(patience)
    openContexts.add(context)
    context.on('close', () => openContexts.delete(context))
  })
  return browser
}

async function findBrowser(): Promise<LaunchOptions> {
  const given = process.env.CHROMIUM_PATH
  if (given) return { executablePath: given }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' }
  const dir = await unpackChromium()
  return {
    executablePath: join(dir, 'chromium'),
    env: {
      ...definedEnv(),
      // The NSS libraries it is linked with, which a lean system lacks.
      LD_LIBRARY_PATH: join(dir, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(dir, 'fonts'),
    },
  }
}

/**
 * Unpacks the packed Chromium once and answers with its folder. Test files run side by side, so
 * it is unpacked elsewhere and moved into place whole.
 */
async function unpackChromium(): Promise<string> {
  const dir = join(cacheDir, `chromium-${await packedVersion()}`)
  if (existsSync(dir)) return dir
  await mkdir(cacheDir, { recursive: true })
  const unpacked = await mkdtemp(join(cacheDir, 'chromium-unpacking-'))
  // The package unpacks into the temporary folder, and its libraries too only if it believes
  // itself on AWS. A separate process can have both settings without changing this one.
  const script = `import('@sparticuz/chromium').then((it) => it.default.executablePath())`
  await promisify(execFile)(process.execPath, ['--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: unpacked, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
  await writeFile(join(unpacked, 'fonts', 'fonts.conf'), fontsConfig(join(dir, 'fonts')))
  try {
    await rename(unpacked, dir)
  } catch (error) {
    // Another test file was first.
    await rm(unpacked, { recursive: true })
    if (!existsSync(dir)) throw error
  }
  return dir
}

/** The package's own file looks for fonts in /tmp, and Chromium crashes if it finds none. */
function fontsConfig(fonts: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(fonts, 'cache')}</cachedir>
</fontconfig>
`
}

async function packedVersion(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'))
  const { version } = JSON.parse(await readFile(join(entry, '../../package.json'), 'utf8'))
  return String(version)
}

function definedEnv(): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) env[name] = value
  }
  return env
}
