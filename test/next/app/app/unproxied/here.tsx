'use client'

import { useState } from 'react'
import { enterHere, leaveHere, rename } from '../actions'

/** Actions that are called by scripts. */
export function Here({ ask }: { ask: () => Promise<string> }) {
  const [said, setSaid] = useState('')
  const call = (action: () => Promise<unknown>) => async () => {
    try {
      setSaid(JSON.stringify(await action()))
    } catch {
      setSaid('failed')
    }
  }
  return (
    <>
      <button type="button" onClick={call(() => enterHere('ada'))}>
        Enter here
      </button>
      <button type="button" onClick={call(leaveHere)}>
        Leave here
      </button>
      <button type="button" onClick={call(() => rename('Countess'))}>
        Rename
      </button>
      <button type="button" onClick={call(ask)}>
        Ask the action
      </button>
      <output>{said}</output>
    </>
  )
}
