/** @jsxImportSource react */
import { getSession, signIn, signOut } from '@latchkey/client/react'
import { StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { App, type AppProps, calls } from './app.js'

const element = (props: AppProps) => (
  <StrictMode>
    <App {...props} />
  </StrictMode>
)
const given = JSON.parse(document.querySelector('#props')?.textContent ?? '') as AppProps
const root = hydrateRoot(document.querySelector('#root') as HTMLElement, element(given))

const latchkey = {
  getSession,
  signIn,
  signOut,
  calls,
  /** A later render of the server. */
  render: (props: AppProps) => root.render(element(props)),
}
Object.assign(globalThis, { latchkey })

export type Latchkey = typeof latchkey
