   import { passwords } from '@latchkey/worker/features/passwords'
   import email from '@latchkey/express/providers/email'
   import password from '@latchkey/express/providers/password'
   