export * from '@latchkey/worker/providers/okta'
export { default } from '@latchkey/worker/providers/okta'
