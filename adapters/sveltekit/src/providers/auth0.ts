export * from '@latchkey/worker/providers/auth0'
export { default } from '@latchkey/worker/providers/auth0'
