#!/usr/bin/env node
import { COMMANDS } from './main.js'
import { run } from './run.js'

await run(COMMANDS)
