export * from '@latchkey/worker/providers/linkedin'
export { default } from '@latchkey/worker/providers/linkedin'
