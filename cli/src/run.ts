import { type COMMANDS, main } from './main.js'
import { questions } from './questions.js'

/** Runs one of these commands with the arguments, the terminal and the exit code of this process. */
export async function run(commands: typeof COMMANDS): Promise<void> {
  const { stdin, stdout, stderr, env } = process

  // A reader such as `head` closes the pipe when it has enough lines.
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))

  const terminal = {
    print: (text: string) => stdout.write(text),
    note: (text: string) => stderr.write(text),
    isWatched: stderr.isTTY === true,
    hasColor: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    // Nobody would see a question on a standard error that goes into a file.
    ask: stdin.isTTY === true && stderr.isTTY === true ? questions(stdin, stderr) : undefined,
    env,
    directory: process.cwd(),
  }
  process.exitCode = await main(process.argv.slice(2), terminal, commands)
}
