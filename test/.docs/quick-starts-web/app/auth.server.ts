// app/auth.server.ts
import { type RequestAuth, webAuth } from '@latchkey/web'
import videoapp from '@latchkey/web/providers/videoapp'
import { createContext } from 'react-router'

const config = { providers: [videoapp()] }
export const { handle } = webAuth(() => config)

export const authContext = createContext<RequestAuth>()
