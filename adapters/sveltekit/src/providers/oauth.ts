export * from '@latchkey/worker/providers/oauth'
export { default } from '@latchkey/worker/providers/oauth'
