import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootDir, startWranglerDev } from '../scripts/wrangler-dev.ts'
import { freePort } from '../test/support/free-port.ts'

const AUTH_SECRET = 'a-secret-of-the-measurement-0123456789'
const ACCOUNTS = 100_000

/**
 * `npm run bench -- import`: how long `latchkey import` takes for the accounts of a dump, against a Worker of this
 * machine, for each number of the ledger's objects. Every fourth person has two accounts, and each row has tokens,
 * as those of Auth.js have.
 */
export async function benchImport([count = String(ACCOUNTS)]: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-import-'))
  const dump = join(folder, 'accounts.sql')
  try {
    await writeDump(dump, Number(count))
    const { size } = await stat(dump)
    console.log(`${count} accounts in ${(size / 1e6).toFixed(0)} MB`)
    for (const shards of ['', '4']) await measure(dump, join(folder, `state${shards}`), shards)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(dump: string, persistTo: string, shards: string): Promise<void> {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const worker = await startWranglerDev({
    name: 'Worker',
    port: await freePort(),
    persistTo,
    vars: {
      AUTH_SECRET,
      AUTH_IMPORT_UNTIL: tomorrow,
      AUTH_GITHUB_ID: 'id',
      AUTH_GITHUB_SECRET: 'secret',
      AUTH_GOOGLE_ID: 'id',
      AUTH_GOOGLE_SECRET: 'secret',
      ...(shards ? { AUTH_LEDGER_SHARDS: shards } : {}),
    },
  })
  try {
    for (const time of ['first', 'again']) {
      const began = performance.now()
      const args = [join(rootDir, 'cli/dist/latchkey.js'), 'import', dump]
      const child = spawn(process.execPath, [...args, '--to', `${worker.url}/auth`], {
        env: { ...process.env, AUTH_SECRET },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      const [code] = await once(child, 'exit')
      const seconds = (performance.now() - began) / 1000
      console.log(`${shards || '1'} objects, ${time}: ${seconds.toFixed(1)} s, ended with ${code}`)
    }
  } finally {
    await worker.stop()
  }
}

async function writeDump(path: string, count: number): Promise<void> {
  const file = createWriteStream(path)
  const token = 'x'.repeat(800)
  file.write(
    'CREATE TABLE accounts (userId TEXT, type TEXT, provider TEXT, providerAccountId TEXT,',
  )
  file.write(' access_token TEXT, id_token TEXT);\n')
  for (let at = 0; at < count; at++) {
    const isSecond = at % 5 === 4
    const person = `0192f5c4-5a3e-7000-8000-${String(isSecond ? at - 1 : at).padStart(12, '0')}`
    const values = [
      person,
      'oauth',
      isSecond ? 'google' : 'github',
      String(1_000 + at),
      token,
      token,
    ]
    const line = `INSERT INTO accounts VALUES(${values.map((value) => `'${value}'`).join(',')});\n`
    if (!file.write(line)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}
