import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { startProcessTree } from '../../scripts/process-tree.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { freePort } from './free-port.ts'
import type { ReadMail } from './visitor.ts'

/** @param stops gets what deletes it */
export function newFolder(stops: (() => unknown)[]): string {
  const made = mkdtempSync(join(tmpdir(), 'latchkey-organisations-'))
  stops.push(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** The example, and its mails. */
export interface Started {
  readonly url: string
  /** Waits for a mail to this address that was not read before. */
  readonly mailTo: (email: string) => Promise<ReadMail>
}

export function mailbox() {
  const mails: ReadMail[] = []
  const mailTo = (email: string) =>
    vi.waitUntil(
      () => {
        const index = mails.findIndex(({ to }) => to === email)
        return index < 0 ? undefined : mails.splice(index, 1)[0]
      },
      { timeout: 20_000 },
    )
  return { mails, mailTo }
}

/** examples/organisations on Node with SQLite, as its reader starts it. */
export async function startOrganisations(
  stops: (() => unknown)[],
  variables: Readonly<Record<string, string>>,
): Promise<Started> {
  const [data, port, { mails, mailTo }] = [newFolder(stops), await freePort(), mailbox()]
  const url = `http://localhost:${port}`
  let to = ''
  const tree = startProcessTree([join(rootDir, 'examples/organisations/dist/server.js')], {
    cwd: data,
    env: { PATH: process.env.PATH, PORT: `${port}`, ...variables },
    onLine(line) {
      to = /^To (\S+): /.exec(line)?.[1] ?? to
      if (/^https?:\S+$/.test(line)) mails.push({ to, text: line })
    },
  })
  stops.push(tree.stop)
  await vi.waitUntil(() => fetch(url).catch(() => undefined), { timeout: 60_000 })
  return { url, mailTo }
}
