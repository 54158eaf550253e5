import email from '@latchkey/worker/providers/email'
import { createTransport } from 'nodemailer'

const transport = createTransport({
  host: 'smtp.example.com',
  port: 465,
  secure: true,
  auth: { user: 'latchkey', pass: process.env.SMTP_PASSWORD ?? '' },
})

export const provider = email({
  from: 'Example <sign-in@example.com>',
  sendVerificationRequest: ({ mail }) => transport.sendMail(mail),
})
