import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Milliseconds of processor time that a process and its threads have used: other programs on the
 * machine hardly change it. Exact on Linux; elsewhere to 10 ms, from `ps`.
 */
export function processorTime(pid: number): number {
  if (process.platform === 'linux') {
    const tasks = `/proc/${pid}/task`
    const times = readdirSync(tasks).map((task) =>
      readFileSync(`${tasks}/${task}/schedstat`, 'utf8'),
    )
    return times.reduce((sum, time) => sum + Number(time.split(' ', 1)[0]) / 1e6, 0)
  }
  const printed = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' })
  const seconds = printed
    .trim()
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
  return seconds * 1000
}

/** The ids of the `workerd` processes that this process has started. */
export function workerdProcesses(): number[] {
  const printed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
  return printed.split('\n').flatMap((line) => {
    const [pid, parent, command = ''] = line.trim().split(/\s+/)
    return Number(parent) === process.pid && command.includes('workerd') ? [Number(pid)] : []
  })
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
