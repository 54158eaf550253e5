#!/usr/bin/env node
import { main } from './main.js'
import { questions } from './questions.js'

const { stdin, stdout, stderr, env } = process

// A reader such as `head` closes the pipe when it has enough lines.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))

process.exitCode = await main(process.argv.slice(2), {
  print: (text) => stdout.write(text),
  note: (text) => stderr.write(text),
  isWatched: stderr.isTTY === true,
  hasColor: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
  columns: stdout.isTTY === true ? stdout.columns : undefined,
  // Nobody would see a question on a standard error that goes into a file.
  ask: stdin.isTTY === true && stderr.isTTY === true ? questions(stdin, stderr) : undefined,
  env,
  directory: process.cwd(),
})
