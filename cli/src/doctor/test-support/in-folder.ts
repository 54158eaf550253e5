import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect } from 'vitest'
import { main } from '../../main.js'
import { terminalOf } from '../../test-support/terminal.js'
import { type Finding, LEVELS } from '../finding.js'

/** The command in a new folder for each test. */
export function inFolder() {
  const all = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(all, 'folder-'))
  })
  afterAll(() => rmSync(all, { recursive: true, force: true }))

  async function doctor(...args: readonly string[]) {
    const terminal = terminalOf({ directory: folder })
    const code = await main(['doctor', ...args], terminal)
    return { code, printed: terminal.printed(), noted: terminal.noted() }
  }

  return {
    folder: () => folder,
    /** Writes files below the folder. */
    write(files: Readonly<Record<string, string | Uint8Array>>): void {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
    },
    /** Runs the command there. */
    doctor,
    /** The findings of the command, as a program reads them. */
    async findings(...args: readonly string[]): Promise<readonly Finding[]> {
      const { code, printed, noted } = await doctor(...args, '--json')
      const { ok, findings } = JSON.parse(printed) as { ok: boolean; findings: Finding[] }
      expect(noted).toBe('')
      expect(ok).toBe(!findings.some(({ level }) => level === 'error'))
      expect(code).toBe(ok ? 0 : 1)
      for (const { code: word, level } of findings) expect(LEVELS[word]).toBe(level)
      return findings
    },
  }
}

/** Each finding as its code and place. */
export function places(found: readonly Finding[]): readonly string[] {
  return found.map(({ code, where }) => `${code} ${where}`)
}
