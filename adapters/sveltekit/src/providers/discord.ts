export * from '@latchkey/worker/providers/discord'
export { default } from '@latchkey/worker/providers/discord'
