export * from '@latchkey/worker/providers/spotify'
export { default } from '@latchkey/worker/providers/spotify'
