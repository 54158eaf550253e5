import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Milliseconds of processor time that a process and its threads have used: other programs on the
 * machine hardly change it. Exact on Linux; elsewhere to 10 ms, from `ps`.
 */
export function processorTime(pid: number): number {
  if (process.platform === 'linux') return sumOfThreads(pid, 0)
  const printed = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' })
  const seconds = printed
    .trim()
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
  return seconds * 1000
}

/**
 * Milliseconds that the threads of a process wanted a processor and got none: the machine had other work.
 * `undefined` but on Linux.
 */
export function waitingTime(pid: number): number | undefined {
  return process.platform === 'linux' ? sumOfThreads(pid, 1) : undefined
}

/** @param field of `schedstat`: 0 for the time that a thread ran, 1 for the time that it waited */
function sumOfThreads(pid: number, field: 0 | 1): number {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).reduce((sum, task) => {
    const times = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')
    return sum + Number(times[field]) / 1e6
  }, 0)
}

/** Bytes of a process that are in memory. */
export function residentMemory(pid: number): number {
  if (process.platform === 'linux') {
    const [, kilobytes] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  }
  const printed = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(printed) * 1024
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
