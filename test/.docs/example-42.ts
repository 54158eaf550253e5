import { connect } from 'node:tls'
import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import email from '@latchkey/worker/providers/email'
import { createTransport } from 'nodemailer'

export { Ledger } from '@latchkey/worker/ledger'

interface Env extends AuthBindings {
  readonly SMTP_PASSWORD: string
}

export default createAuth<Env>(({ SMTP_PASSWORD }) => {
  const transport = createTransport({
    host: 'smtp.example.com',
    port: 465,
    secure: true,
    auth: { user: 'latchkey', pass: SMTP_PASSWORD },
    getSocket({ host = '', port }, done) {
      const connection = connect({ host, port: Number(port) })
      connection.once('secureConnect', () => done(null, { connection, secured: true }))
      connection.once('error', (error) => done(error, false))
    },
  })
  return {
    basePath: '/auth',
    providers: [
      email({
        from: 'Example <sign-in@example.com>',
        sendVerificationRequest: ({ mail }) => transport.sendMail(mail),
      }),
    ],
  }
})
