#!/usr/bin/env node
import { main } from './main.js'

process.exitCode = await main(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
  isWatched: process.stderr.isTTY === true,
  env: process.env,
  directory: process.cwd(),
})
